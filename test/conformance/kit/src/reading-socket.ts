/**
 * A socket that reads on after a failed send: a bridge that refuses a client may answer and close
 * before the client has sent anything.
 * @module
 */
import { Socket, type IpcSocketConnectOpts, type SocketConstructorOpts } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'

// Everything the bridge sent has arrived; the first turn may already be past reading.
const turnsOfTheLoop = 4

// Each read is copied at once, so all sockets can share it.
const buffer = Buffer.alloc(1 << 16)

/** Ends a while after a failed send, when node:net would already have discarded unread input. */
export class ReadingSocket extends Socket {
  #sendFailed = false

  constructor() {
    const callback = (length: number) => this.emit('data', Buffer.from(buffer.subarray(0, length)))
    // The stream itself accepts no input after an error.
    const options: SocketConstructorOpts & Pick<IpcSocketConnectOpts, 'onread'> = {
      allowHalfOpen: true,
      onread: { buffer: () => buffer, callback },
    }
    super(options)
  }

  override destroy(error?: Error): this {
    const { syscall } = (error ?? {}) as NodeJS.ErrnoException
    if (syscall !== 'write' || this.#sendFailed) return super.destroy(error)
    this.#sendFailed = true
    void this.#linger(error)
    return this
  }

  async #linger(error: Error | undefined): Promise<void> {
    for (let turn = 0; turn < turnsOfTheLoop; turn++) await nextTurn()
    super.destroy(error)
  }
}
