export type { Product } from './product.js';
export { startShape, type Shape } from './shapes.js';
