// Makes the files of page/dist, or of the folder that is given: node build.mjs [FOLDER].
import {build} from 'esbuild';
import {copyFile, mkdir} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, 'dist');
await mkdir(out, {recursive: true});
await build({
  absWorkingDir: here,
  entryPoints: {early: 'src/early.ts', app: 'src/main.tsx', style: 'src/style.css'},
  outdir: out,
  entryNames: '[name]',
  bundle: true,
  minify: true,
  format: 'iife',
  target: ['chrome111', 'firefox115', 'safari16.4'],
  charset: 'utf8',
  legalComments: 'none',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  define: {'process.env.NODE_ENV': '"production"'},
});
for (const name of ['index.html', 'icon.svg']) await copyFile(join(here, 'src', name), join(out, name));
