/**
 * Raises the priority of a test's process and of all that it starts above everything else, so that
 * how soon something happens does not depend on what runs beside it. Root may; who may not has no
 * network to measure either.
 */
import { setPriority } from 'node:os'

if (process.getuid?.() === 0) setPriority(-10)
