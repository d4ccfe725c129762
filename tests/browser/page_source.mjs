// A file of page/src as a module of Node. Ends the program with a message where it cannot be made.
import {mkdtemp, rm} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

const page = resolve(fileURLToPath(import.meta.url), '../../../page');

function load() {
  try {
    return createRequire(join(page, 'package.json'))('esbuild');
  } catch {
    console.log("skipped: page/node_modules is missing ('npm ci' in page/ makes it)");
    process.exit(0);
  }
}
const esbuild = load();

export async function pageSource(name) {
  const folder = await mkdtemp(join(tmpdir(), 'spoor-source-'));
  try {
    const made = join(folder, 'source.mjs');
    await esbuild.build({entryPoints: [join(page, 'src', name)], bundle: true, format: 'esm', outfile: made, logLevel: 'error'});
    return await import(pathToFileURL(made));
  } finally {
    await rm(folder, {recursive: true, force: true});
  }
}
