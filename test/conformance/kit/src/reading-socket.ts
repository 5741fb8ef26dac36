/**
 * A socket that still reads what came before its send failed: a bridge that turns a client away
 * may answer and close before the client has sent anything.
 * @module
 */
import { Socket, type IpcSocketConnectOpts, type SocketConstructorOpts } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'

// All that the bridge sent is here already; the first turn may be over its reading.
const turnsOfTheLoop = 4

// What is read is copied at once, so that all sockets can share it.
const buffer = Buffer.alloc(1 << 16)

/** Ends a while after a failed send, where node:net would throw away what is not read yet. */
export class ReadingSocket extends Socket {
  #sendFailed = false

  constructor() {
    const callback = (length: number) => this.emit('data', Buffer.from(buffer.subarray(0, length)))
    // The stream itself takes nothing more after an error.
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
