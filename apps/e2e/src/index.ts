export type { Product } from './product.js';
export { startShape, type Shape } from './shapes.js';
export { CONFORMANCE } from './conformance/chapters.js';
export type { Chapter, ShownBy } from './conformance/chapter.js';
