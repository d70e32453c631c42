/** Inserts `text` before the only place where `file` has `anchor`. Throws when the file has changed its form. */
const before = (anchor, text) => (file) => {
  if (file.split(anchor).length !== 2)
    throw new Error(`"${anchor.trim()}" is not there exactly once: insert by hand:\n${text}`);
  return file.replace(anchor, () => text + anchor);
};
const inOrder =
  (...steps) =>
  (file) =>
    steps.reduce((text, step) => step(text), file);
const asJson = (change) => (file) => {
  const value = JSON.parse(file);
  change(value);
  return `${JSON.stringify(value, null, 2)}\n`;
};

const secret = (name) => `\${${name}:?set it to letters and digits that are hard to guess}`;

/** The edits of Compose: the service, its migrations, its role in the database and its user on Kafka. */
const composeEdits = ({ name, project, constant }) =>
  inOrder(
    before(' MIGRATIONS_DB KAFKA_ADMIN', ` ${constant}_DB`),
    before(' PAYMENTS_KAFKA\n', ` ${constant}_KAFKA`),
    before(
      '  api-gateway:\n    <<: *service\n',
      `  ${name}-migrations:
    <<: *migrations
    command: [node, apps/${project}/dist/migrate.js]
    environment:
      MIGRATIONS_DATABASE_URL: postgres://settle_${name}_migrations:${secret('MIGRATIONS_DB_PASSWORD')}@postgres:5432/settle_${name}

`,
    ),
    before(
      '  # Creates the topics and gives each service its rights',
      `  ${project}:
    <<: *service
    profiles: [postgres, eventstoredb]
    command: [node, apps/${project}/dist/main.js]
    depends_on:
      <<: *stores
      ${name}-migrations:
        condition: service_completed_successfully
    networks: [messages, stores]
    environment:
      <<: *environment
      KAFKA_USERNAME: \${${constant}_KAFKA_USERNAME:-${project}}
      KAFKA_PASSWORD: ${secret(`${constant}_KAFKA_PASSWORD`)}
      DATABASE_URL: postgres://settle_${name}:${secret(`${constant}_DB_PASSWORD`)}@postgres:5432/settle_${name}

`,
    ),
    before(
      `      MIGRATIONS_DB_PASSWORD: ${secret('MIGRATIONS_DB_PASSWORD')}\n`,
      `      ${constant}_DB_PASSWORD: ${secret(`${constant}_DB_PASSWORD`)}\n`,
    ),
    before(`        user_payments-service="`, `        user_${project}="${secret(`${constant}_KAFKA_PASSWORD`)}"\n`),
  );

/** The edits of existing files that a new service needs: a function from the old to the new content for each path. */
export const edits = (parts) => {
  const { name, project, type, constant } = parts;
  return {
    'libs/contracts/src/services.ts': before(
      '} as const satisfies Record<string, Service>;',
      `  '${project}': {
    name: '${name}',
    group: '${name}',
    hasDatabase: true,
    httpPort: null,
    instances: 1,
    needs: [],
    kafka: {
      produces: ['deadLetters'],
      consumes: ['paymentsEvents', 'replies'],
      deletes: [],
      groups: [replies.name, '${project}'],
    },
  },
`,
    ),
    'apps/all-in-one/package.json': asJson(({ dependencies }) => (dependencies[`@settle/${project}`] = '0.1.0')),
    'apps/all-in-one/tsconfig.lib.json': asJson(({ references }) =>
      references.push({ path: `../${project}/tsconfig.lib.json` }),
    ),
    'apps/all-in-one/src/services.ts': inOrder(
      before(
        "import { USERS_SCHEMA, startUsersService } from '@settle/users-service';\n",
        `import { ${constant}_SCHEMA, start${type}Service } from '@settle/${project}';\n`,
      ),
      before('  ]);\n', `    migrateSchema(${constant}_SCHEMA, databases.${name}.migrations),\n`),
      before(
        '  const auth = await startAuthService(',
        `  const ${name}Service = await start${type}Service({ ...parts, databaseUrl: databases.${name}.service });
  running.add('${name}', () => ${name}Service.close());
`,
      ),
    ),
    'docker-compose.yml': composeEdits(parts),
  };
};
