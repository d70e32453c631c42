/** Names of images as files have them, and the digests that registries have for them. */

const MANIFESTS = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');
const NAME = /^[ ]*(?:image: |FROM )(\S+:\S+)/gm;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const WAIT_MS = 10_000;

/** The images that a compose file or a Dockerfile takes from a registry, each once. Ours has no tag. */
export function imagesIn(text) {
  return [...new Set([...text.matchAll(NAME)].map(([, image]) => image))];
}

/** The text with `image` pinned to a digest, whatever digest it had before. */
export function pinned(text, image, digest) {
  const [tagged] = image.split('@');
  return text.replaceAll(image, `${tagged}@${digest}`);
}

/**
 * The digest of the manifest that the registry has for an image's tag (OCI distribution specification, 4.4). Errors: one
 * line, when the registry cannot be reached or answers otherwise.
 */
export async function manifestDigest(image, request) {
  const { registry, repository, tag } = placeOf(image);
  const url = `https://${registry}/v2/${repository}/manifests/${tag}`;
  const ask = (headers) =>
    request(url, { method: 'HEAD', headers: { accept: MANIFESTS, ...headers }, signal: AbortSignal.timeout(WAIT_MS) });
  try {
    let answer = await ask({});
    if (answer.status === 401) {
      const token = await anonymousToken(answer.headers.get('www-authenticate') ?? '', request);
      answer = await ask({ authorization: `Bearer ${token}` });
    }
    const digest = answer.headers.get('docker-content-digest') ?? '';
    if (answer.status !== 200 || !DIGEST.test(digest)) throw new Error(`status ${answer.status}`);
    return digest;
  } catch (error) {
    throw new Error(`${registry} gives no digest of ${image} (${error.cause?.code ?? error.message})`, {
      cause: error,
    });
  }
}

/** Docker Hub is meant where no registry is named, and its `library` where no owner is. */
function placeOf(image) {
  const [name, tag] = image.split('@')[0].split(/:(?=[^/:]+$)/);
  const [first, ...rest] = name.split('/');
  if (rest.length > 0 && /[.:]/.test(first)) return { registry: first, repository: rest.join('/'), tag };
  return { registry: 'registry-1.docker.io', repository: rest.length === 0 ? `library/${name}` : name, tag };
}

/** A token for reading what is public, from where the registry's challenge says (RFC 6750, section 3). */
async function anonymousToken(challenge, request) {
  const { realm, ...query } = Object.fromEntries(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
  );
  const answer = await request(`${realm}?${new URLSearchParams(query)}`, { signal: AbortSignal.timeout(WAIT_MS) });
  return (await answer.json()).token;
}
