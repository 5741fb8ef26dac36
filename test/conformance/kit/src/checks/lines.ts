/**
 * One request line: how it may end, which bytes may surround it, where it may be cut.
 * @module
 */
import type { Check } from '../check.ts'
import { expectThat } from '../outcome.ts'
import { requestText, versionRequest as line } from '../request.ts'
import { responseOf } from '../response.ts'
import { sections } from '../sections.ts'
import { expectAnswered } from './version-answer.ts'

const section = sections.line

interface Row extends Pick<Check, 'id' | 'title' | 'profile'> {
  pieces: readonly (string | Buffer)[]
  halfClose?: boolean
}

const rows: readonly Row[] = [
  { id: 'line.lf', title: 'a line may end in \\n', pieces: [`${line}\n`] },
  {
    id: 'line.crlf',
    title: 'a line may end in \\r\\n',
    profile: 'causeway',
    pieces: [`${line}\r\n`],
  },
  {
    id: 'line.crlf-apart',
    title: '\\r and \\n may come in separate pieces',
    profile: 'causeway',
    pieces: [`${line}\r`, '\n'],
  },
  {
    id: 'line.half-close',
    title: 'a client may shut down its sending side after the line',
    profile: 'causeway',
    pieces: [`${line}\n`],
    halfClose: true,
  },
  {
    id: 'line.eof',
    title: 'a line may end at the end of the stream',
    profile: 'causeway',
    pieces: [line],
    halfClose: true,
  },
  {
    id: 'line.eof-cr',
    title: 'a lone \\r before the end of the stream belongs to the line end',
    profile: 'causeway',
    pieces: [`${line}\r`],
    halfClose: true,
  },
  {
    id: 'line.blank-before',
    title: 'blank lines before the request are skipped',
    profile: 'causeway',
    pieces: [`\n\r\n\n${line}\n`],
  },
  {
    id: 'line.blank-before-apart',
    title: 'blank lines before the request may come in separate pieces',
    profile: 'causeway',
    pieces: ['\n', '\r', '\n', `${line}\n`],
  },
  { id: 'line.blanks', title: 'blanks around the request are skipped', pieces: [`  ${line}\t \n`] },
  {
    id: 'line.trailing',
    title: 'bytes after the line are ignored',
    profile: 'causeway',
    pieces: [`${line}\nxyz`],
  },
  {
    id: 'line.trailing-megabyte',
    title: 'a megabyte after the line is ignored',
    profile: 'causeway',
    pieces: [Buffer.concat([Buffer.from(`${line}\n`), Buffer.alloc(1 << 20, 'x')])],
  },
  {
    id: 'line.bytewise',
    title: 'a line may come byte by byte',
    pieces: [...Buffer.from(`${line}\n`)].map((byte) => Buffer.of(byte)),
  },
]

const whole: readonly Check[] = rows.map(({ pieces, halfClose = false, ...row }) => ({
  ...row,
  section,
  run: async (bridge) => void (await expectAnswered(bridge, pieces, { halfClose })),
}))

const cut: readonly Check[] = [
  {
    id: 'line.split',
    section,
    title: 'a line may be cut at every byte',
    async run(bridge) {
      const bytes = Buffer.from(`${line}\n`)
      for (let at = 1; at < bytes.length; at++) {
        await expectAnswered(bridge, [bytes.subarray(0, at), bytes.subarray(at)])
      }
    },
  },
  {
    id: 'line.split-utf8',
    section,
    title: 'a line may be cut inside a UTF-8 sequence',
    async run(bridge) {
      const id = 'é€😀'
      const bytes = Buffer.from(`${requestText('processor_version', '[]', `"${id}"`)}\n`)
      for (let at = bytes.indexOf(0xc3); at < bytes.length; at++) {
        const received = await bridge.exchange([bytes.subarray(0, at), bytes.subarray(at)])
        const found = responseOf(received).id
        expectThat(found === id, `id "${id}" when cut at byte ${at}`, found)
      }
    },
  },
  {
    id: 'line.slow',
    section,
    title: 'a line may take a second to arrive',
    async run(bridge) {
      const pieces = line.match(/.{1,8}/g) ?? []
      await expectAnswered(bridge, [...pieces, '\n'], { pauseMs: 1000 / pieces.length })
    },
  },
  {
    id: 'line.second-ignored',
    section: sections.limits,
    title: 'a second line on the same connection is not answered',
    async run(bridge) {
      const second = requestText('processor_version', '[]', '"2"')
      const received = await expectAnswered(bridge, [`${line}\n${second}\n`], { until: 'settled' })
      const after = received.bytes.subarray(received.bytes.indexOf('\n') + 1)
      expectThat(after.length === 0, 'nothing after the first reply', after)
    },
  },
]

/** Checks of the request line. */
export const lineChecks: readonly Check[] = [...whole, ...cut]
