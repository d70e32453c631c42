/** A value of `DATA_KEY` for specs: 32 bytes in base64. */
export const SPEC_DATA_KEY = Buffer.alloc(32, 7).toString('base64');
