import path from 'node:path';

/**
 * Folders of a project's `src` from the lowest layer to the highest. A file may import from its own folder and from lower
 * ones; files directly in `src` wire the project and may import everything. Migrations, tests and fixtures are left out.
 */
export const LAYERS = {
  'apps/auth-service': [
    'injection',
    'secrets',
    'security-log',
    'tables',
    'http',
    'pages',
    'user-requests',
    'messages',
    'tokens',
    'sign-in',
    'verification',
    'addresses',
    'sign-up',
    'spending-limits',
    'oauth',
    'authorize',
    'connected-apps',
    'developers',
    'account',
    'demo',
    'operators',
    'problems',
  ],
  'apps/users-service': ['injection', 'storage', 'announcements', 'users', 'friends', 'accounts', 'operators'],
  'apps/api-gateway': [
    'settings',
    'schemas',
    'parameters',
    'responses',
    'openapi',
    'tokens',
    'limits',
    'http',
    'access',
    'endpoints',
  ],
  'apps/payments-service': [
    'storage',
    'user-replica',
    'transfer',
    'read-models',
    'projection',
    'user-limits',
    'commands',
    'jobs',
    'public-events',
    'operators',
    'ledger',
    'messages',
  ],
};

/** ESLint rule `settle/layers`: refuses an import from a folder above the file's own, see `LAYERS`. */
export const layersRule = {
  meta: {
    type: 'problem',
    messages: {
      upward: '{{from}} is below {{to}} (tools/lint/layers.mjs): move the code down, or pass it in from above.',
      unknown: 'The folder {{folder}} has no layer: add it to tools/lint/layers.mjs.',
    },
  },
  create(context) {
    const file = path.relative(context.cwd, context.filename).replaceAll('\\', '/');
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
