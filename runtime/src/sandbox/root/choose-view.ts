/** Chooses the view of the file system that a job gets on this host. @module */
import { prootInStage } from '../proot/in-stage.ts'
import { prootOnHostRoot } from '../proot/on-host.ts'
import type { View, ViewOptions } from './guest-view.ts'

export function jobView(options: ViewOptions): View {
  const { layers, proot } = options
  if (layers.backend === 'namespaces') return ownRoot(options)
  if (!proot) throw new TypeError('expected a PRoot for the backend proot')
  return layers.namespaces
    ? prootInStage({ ...options, proot })
    : prootOnHostRoot({ ...options, proot })
}

function ownRoot({ paths, workFolder, init }: ViewOptions): View {
  return {
    launch: {
      stage: { folder: paths.stage, pivot: true, binds: paths.helpers },
      filter: 'plain',
      workFolder,
      environment: {},
    },
    program: [init],
  }
}
