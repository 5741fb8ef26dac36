/**
 * A bridge in plain Node: `node:net`, one line in, JSON.parse, a table, one line out. Arguments:
 * socket name, file with the reply whose result the method returns.
 * @module
 */
import { readFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'

interface Request {
  method: string
  id: string
}

const [name = '', replyFile = ''] = process.argv.slice(2)
const template = JSON.parse(readFileSync(replyFile, 'utf8')) as { result: unknown }
const methods: Readonly<Record<string, () => unknown>> = { deployment_id: () => template.result }

function answer(line: string): string {
  const { method, id } = JSON.parse(line) as Request
  return `${JSON.stringify({ ...template, id, result: methods[method]!() })}\n`
}

function serve(socket: Socket): void {
  let text = ''
  socket.on('error', () => socket.destroy())
  socket.on('end', () => socket.end())
  socket.on('data', (chunk) => {
    text += chunk.toString('utf8')
    const end = text.indexOf('\n')
    if (end >= 0) socket.end(answer(text.slice(0, end)))
  })
}

createServer({ allowHalfOpen: true }, serve).listen({ path: `\0${name}`, backlog: 4096 }, () =>
  process.stdout.write('ready\n'),
)
