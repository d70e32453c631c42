import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/** The `layers` in the package.json of a project; absent where it has none. */
const layersIn = (project) => {
  const file = path.join(root, project, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).layers : undefined;
};

/**
 * Folders of a project's `src` from the lowest layer to the highest, as its package.json lists them. A file may import
 * from its own folder and from lower ones; files directly in `src` wire the project and may import everything.
 * Migrations, tests and fixtures are left out.
 */
/** @type {Record<string, string[]>} */
export const LAYERS = Object.fromEntries(
  ['apps', 'libs']
    .flatMap((folder) => readdirSync(path.join(root, folder)).map((name) => `${folder}/${name}`))
    .map((project) => [project, layersIn(project)])
    .filter(([, layers]) => layers !== undefined),
);

/** ESLint rule `settle/layers`: refuses an import from a folder above the file's own, see `LAYERS`. */
export const layersRule = {
  meta: {
    type: 'problem',
    messages: {
      upward: '{{from}} is below {{to}} (layers in package.json): move the code down, or pass it in from above.',
      unknown: 'The folder {{folder}} has no layer: add it to the layers in package.json.',
    },
  },
  create(context) {
    const file = path.relative(root, context.filename).replaceAll('\\', '/');
    const project = Object.keys(LAYERS).find((name) => file.startsWith(`${name}/src/`));
    if (project === undefined) return {};
    const layers = LAYERS[project];
    /** Index of the file's folder; above all others for a file directly in `src`. */
    const layerOf = (target) => {
      const [folder, ...rest] = path.posix.relative(`${project}/src`, target).split('/');
      return rest.length === 0 ? layers.length : layers.indexOf(folder);
    };
    const own = layerOf(file);
    const folderOf = (layer) => layers[layer] ?? 'src';
    const check = (node) => {
      if (own === -1) {
        const folder = path.posix.dirname(file);
        context.report({ node, messageId: 'unknown', data: { folder } });
        return;
      }
      const source = node.source?.value;
      if (typeof source !== 'string' || !source.startsWith('.')) return;
      const target = path.posix.join(path.posix.dirname(file), source);
      if (!target.startsWith(`${project}/src/`)) return;
      const layer = layerOf(target);
      if (layer <= own) return;
      context.report({ node, messageId: 'upward', data: { from: folderOf(own), to: folderOf(layer) } });
    };
    return { ImportDeclaration: check, ExportNamedDeclaration: check, ImportExpression: check };
  },
};
