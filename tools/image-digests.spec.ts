import { readFileSync } from 'node:fs';
import path from 'node:path';
import { imagesIn, manifestDigest, pinned } from './image-digests.mjs';

const DIGEST = `sha256:${'ab'.repeat(32)}`;
const root = path.dirname(import.meta.dirname);

/** A registry that gives its digests to holders of an anonymous token, as Docker Hub does. */
const registry =
  (asked: string[]) =>
  (url: string, init: { headers?: Record<string, string> } = {}) => {
    asked.push(url);
    if (url.startsWith('https://auth.example/token')) return Promise.resolve(Response.json({ token: 'public' }));
    const isAllowed = init.headers?.['authorization'] === 'Bearer public';
    const challenge =
      'Bearer realm="https://auth.example/token",service="registry",scope="repository:library/postgres:pull"';
    return Promise.resolve(
      isAllowed
        ? new Response(null, { headers: { 'docker-content-digest': DIGEST } })
        : new Response(null, { status: 401, headers: { 'www-authenticate': challenge } }),
    );
  };

describe('images', () => {
  it.each(['docker-compose.yml', 'docker/Dockerfile'])(
    'given %s, when its images are read, then each has an exact tag, with or without a digest',
    (file) => {
      const images = imagesIn(readFileSync(path.join(root, file), 'utf8'));
      expect(images.length).toBeGreaterThan(0);
      for (const image of images) {
        expect(image).toMatch(/^[a-z/]+:v?[0-9]+\.[0-9]+(?:\.[0-9]+)?(?:-[a-z-]+)?(?:@sha256:[0-9a-f]{64})?$/);
      }
    },
  );

  it('given a tag, when it is pinned and pinned again, then the digest of the registry follows it once', async () => {
    const asked: string[] = [];
    const digest = await manifestDigest('postgres:18.4-bookworm', registry(asked));
    expect(digest).toBe(DIGEST);
    expect(asked).toEqual([
      'https://registry-1.docker.io/v2/library/postgres/manifests/18.4-bookworm',
      'https://auth.example/token?service=registry&scope=repository%3Alibrary%2Fpostgres%3Apull',
      'https://registry-1.docker.io/v2/library/postgres/manifests/18.4-bookworm',
    ]);
    const text = 'FROM postgres:18.4-bookworm AS build\n    image: postgres:18.4-bookworm\n    image: settle\n';
    expect(imagesIn(text)).toEqual(['postgres:18.4-bookworm']);
    const once = pinned(text, 'postgres:18.4-bookworm', `sha256:${'0'.repeat(64)}`);
    const [image = ''] = imagesIn(once);
    const anew = text.replaceAll('18.4-bookworm', `18.4-bookworm@${DIGEST}`);
    expect(pinned(once, image, digest)).toBe(anew);
  });

  it('given an unreachable registry, when a digest is requested, then one line names the registry', async () => {
    const away = () => Promise.reject(Object.assign(new TypeError('fetch failed'), { cause: { code: 'ENOTFOUND' } }));
    await expect(manifestDigest('apache/kafka:4.3.1', away)).rejects.toThrow(
      /^registry-1\.docker\.io gives no digest of apache\/kafka:4\.3\.1 \(ENOTFOUND\)$/,
    );
  });
});
