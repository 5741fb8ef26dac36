/**
 * A process that uses a store: prints a line for each progress report and `done <fromCache>` at the
 * end, then holds what it has until it is killed. Arguments: folder, call, url, sha256.
 */
import { createImageStore } from '../../../images/src/index.ts'
import { nativePaths } from '../../../native/src/index.ts'
import { lockImages } from '../../../runtime/src/host/images.ts'
import { owned } from './image-store-fixture.ts'

const [folder = '', call, url = '', sha256 = ''] = process.argv.slice(2)
const store = createImageStore({
  folder,
  allowLocal: true,
  unpacker: nativePaths.unpacker,
  lock: lockImages,
})
const say = (line: string) => process.stdout.write(`${line}\n`)
const onProgress = (progress: object) => void say(JSON.stringify(progress))
say('ready')
const done =
  call === 'fetch'
    ? await store.fetch({ url, sha256 }, { onProgress })
    : await store.openTree({ url, sha256 }, { ...owned, onProgress })
say(`done ${done.fromCache}`)
process.stdin.resume()
