/** Who waits for whom: the shapes in which asynchronous work takes turns. @module */
export { createQueues, type Queues } from './serial.ts'
export { singleFlight } from './single-flight.ts'
export { createTurnstile, type Turnstile } from './turnstile.ts'
