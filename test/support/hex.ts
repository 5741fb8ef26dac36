export const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))
export const hex = (data: Uint8Array) => Buffer.from(data).toString('hex')
