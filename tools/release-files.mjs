/** The files that a release changes. Each function takes a text and returns the new one. */

/** Returns a package.json or package-lock.json in which every package of this repository has the new version. */
export function withVersion(text, version) {
  const content = JSON.parse(text);
  const own = content.packages ?? {};
  const isOwn = (place) => place === '' || (!place.includes('node_modules/') && own[place].version !== undefined);
  for (const one of [
    content,
    ...Object.keys(own)
      .filter(isOwn)
      .map((place) => own[place]),
  ]) {
    one.version = version;
    for (const kind of ['dependencies', 'devDependencies'])
      for (const name of Object.keys(one[kind] ?? {})) if (name.startsWith('@settle/')) one[kind][name] = version;
  }
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** Returns the Chart.yaml of that version: the chart is released with the product. */
export const chartWithVersion = (text, version) => text.replace(/^(version|appVersion): .*$/gm, `$1: ${version}`);

/** Returns the page of releases: upgrades to what is made from now on start from that version. */
export const releasesAfter = (text, version) =>
  text.replace(/^The version before this one is `.*`/m, `The version before this one is \`v${version}\``);

/**
 * Returns the changelog with everything of "Unreleased" under the version.
 * @param date as 2026-01-31
 * Throws if nothing is there.
 */
export function changelogWithVersion(text, version, date) {
  const [before, unreleased] = text.split(/^## Unreleased\n/m);
  const isEmpty = unreleased === undefined || unreleased.split(/^## /m)[0].trim() === '';
  if (isEmpty) throw new Error('CHANGELOG.md has nothing under "## Unreleased"');
  return `${before.replace(' Nothing has been released yet.', '')}## Unreleased\n\n## ${version} (${date})\n${unreleased}`;
}

/** Returns the build of the image for `docker buildx bake --file release/image.json`. */
export const imageBuild = (version) =>
  `${JSON.stringify(
    {
      variable: { REPOSITORY: { default: 'settle' }, COMMIT: { default: 'unknown' } },
      target: {
        default: {
          context: '.',
          dockerfile: 'docker/Dockerfile',
          args: { COMMIT: '${COMMIT}' },
          labels: {
            'org.opencontainers.image.version': version,
            'org.opencontainers.image.revision': '${COMMIT}',
            'org.opencontainers.image.licenses': 'Apache-2.0',
          },
          tags: [`\${REPOSITORY}:${version}`],
        },
      },
    },
    null,
    2,
  )}\n`;
