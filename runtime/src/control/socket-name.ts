/** Name of the control socket in the state folder. */
export const controlSocketName = 'control.sock'
