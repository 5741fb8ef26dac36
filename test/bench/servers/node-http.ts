/**
 * The usual transport of local daemons: HTTP over a Unix socket, a connection per call. Arguments:
 * socket name, file with the reply.
 * @module
 */
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

interface Request {
  method: string
  id: string
}

const [name = '', replyFile = ''] = process.argv.slice(2)
const template = JSON.parse(readFileSync(replyFile, 'utf8')) as { result: unknown }
const methods: Readonly<Record<string, () => unknown>> = { deployment_id: () => template.result }

function answer(body: string): string {
  const { method, id } = JSON.parse(body) as Request
  return `${JSON.stringify({ ...template, id, result: methods[method]!() })}\n`
}

function serve(request: IncomingMessage, response: ServerResponse): void {
  let body = ''
  request.setEncoding('utf8')
  request.on('data', (chunk: string) => (body += chunk))
  request.on('end', () => {
    const text = answer(body)
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(text),
      Connection: 'close',
    })
    response.end(text)
  })
}

const server = createServer(serve)
server.on('connection', (socket) => socket.on('error', () => socket.destroy()))
// Without a date, every reply has the same bytes.
server.on('request', (_, response) => (response.sendDate = false))
server.listen({ path: `\0${name}`, backlog: 4096 }, () => process.stdout.write('ready\n'))
