// What the package exports: see index.d.ts.
export { SpoorError } from './lib/errors.js';
export { backend, open } from './lib/store.js';
export { record } from './lib/recording.js';
