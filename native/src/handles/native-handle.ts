/** A value by which one native addon uses a part of another. @module */

declare const kind: unique symbol

/** A value that JavaScript can only pass on; an addon refuses one of another kind. */
export interface NativeHandle<Kind extends 'egress' | 'network' | 'signer'> {
  readonly [kind]: Kind
}
