export { startShape, type Product, type Shape } from './shapes.js';
