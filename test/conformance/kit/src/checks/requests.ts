/**
 * The request object: jsonrpc, method, params, and batches.
 * @module
 */
import type { Check } from '../check.ts'
import { requestText, versionRequest } from '../request.ts'
import { codes, expectError } from '../response.ts'
import { sections } from '../sections.ts'
import { expectAnswered } from './version-answer.ts'

interface Row extends Pick<Check, 'id' | 'title' | 'profile'> {
  line: string
}

const version = (params: string) => requestText('processor_version', params)

/** Lines that are not a request object: `-32600`. */
const invalid: readonly Row[] = [
  {
    id: 'request.jsonrpc-missing',
    title: 'jsonrpc must be present',
    line: '{"method":"processor_version","id":"1"}',
  },
  {
    id: 'request.jsonrpc-1',
    title: 'jsonrpc must be "2.0", not "1.0"',
    line: versionRequest.replace('"2.0"', '"1.0"'),
  },
  {
    id: 'request.jsonrpc-number',
    title: 'jsonrpc must be a string',
    line: versionRequest.replace('"2.0"', '2.0'),
  },
  {
    id: 'request.method-missing',
    title: 'method must be present',
    line: '{"jsonrpc":"2.0","params":[],"id":"1"}',
  },
  {
    id: 'request.method-number',
    title: 'method must be a string, not a number',
    line: '{"jsonrpc":"2.0","method":1,"id":"1"}',
  },
  {
    id: 'request.method-null',
    title: 'method must be a string, not null',
    line: '{"jsonrpc":"2.0","method":null,"id":"1"}',
  },
  { id: 'request.empty', title: 'an empty object is not a request', line: '{}' },
  { id: 'request.number', title: 'a number is not a request', line: '1' },
  { id: 'request.string', title: 'a string is not a request', line: '"processor_version"' },
  { id: 'request.null', title: 'null is not a request', line: 'null' },
  { id: 'request.true', title: 'true is not a request', line: 'true' },
]

const invalidParams: readonly Row[] = [
  {
    id: 'params.string',
    profile: 'causeway',
    title: 'params may not be a string',
    line: version('"x"'),
  },
  {
    id: 'params.number',
    profile: 'causeway',
    title: 'params may not be a number',
    line: version('1'),
  },
  {
    id: 'params.true',
    profile: 'causeway',
    title: 'params may not be true',
    line: version('true'),
  },
  {
    id: 'params.false',
    profile: 'causeway',
    title: 'params may not be false',
    line: version('false'),
  },
]

const validParams: readonly Row[] = [
  { id: 'params.absent', title: 'params may be left out', line: version('') },
  { id: 'params.empty', title: 'params may be []', line: version('[]') },
  { id: 'params.null', title: 'params may be null', profile: 'causeway', line: version('null') },
  { id: 'params.object', title: 'params may be {}', profile: 'causeway', line: version('{}') },
  {
    id: 'params.extra-element',
    title: 'surplus elements are ignored',
    profile: 'causeway',
    line: version('[{"x":1},"y",null]'),
  },
  {
    id: 'params.extra-member',
    title: 'members of the request that JSON-RPC does not know are ignored',
    profile: 'causeway',
    line: versionRequest.replace('{', '{"extra":{"id":"2"},'),
  },
]

const batches: readonly Row[] = [
  {
    id: 'batch.two',
    title: 'a batch is refused: a connection carries one request',
    profile: 'causeway',
    line: `[${versionRequest},${versionRequest}]`,
  },
  {
    id: 'batch.one',
    title: 'a batch of one is refused, too',
    profile: 'causeway',
    line: `[${versionRequest}]`,
  },
  { id: 'batch.empty', title: 'an empty batch is answered with one error', line: '[]' },
]

/** The bridge decides whether an invalid request has an id that it can detect. */
const anyId: readonly unknown[] = ['1', null]

function refused(section: string, { line, ...row }: Row, ids = anyId): Check {
  return {
    ...row,
    section,
    run: async (bridge) =>
      expectError(await bridge.exchange([`${line}\n`]), codes.invalidRequest, ids),
  }
}

function taken({ line, ...row }: Row): Check {
  return {
    ...row,
    section: sections.params,
    run: async (bridge) => void (await expectAnswered(bridge, [`${line}\n`])),
  }
}

/** Checks of the request object. */
export const requestChecks: readonly Check[] = [
  ...invalid.map((row) => refused(sections.request, row)),
  ...validParams.map(taken),
  ...invalidParams.map((row) => refused(sections.params, row)),
  ...batches.map((row) => refused(sections.batch, row, [null])),
]
