/**
 * The images that `docker-compose.yml` and `docker/Dockerfile` start from. `npm run images` lists them;
 * `npm run images -- pin` writes the digest that each tag has in its registry behind the tag.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { imagesIn, manifestDigest, pinned } from './image-digests.mjs';

const FILES = ['docker-compose.yml', 'docker/Dockerfile'].map((file) =>
  fileURLToPath(new URL(`../${file}`, import.meta.url)),
);
const [command] = process.argv.slice(2);

if (command !== undefined && command !== 'pin') {
  process.stderr.write('images: write `npm run images`, or `npm run images -- pin`\n');
  process.exitCode = 1;
} else {
  try {
    for (const file of FILES) {
      let text = readFileSync(file, 'utf8');
      for (const image of imagesIn(text)) {
        if (command === 'pin') text = pinned(text, image, await manifestDigest(image, fetch));
      }
      if (command === 'pin') writeFileSync(file, text);
      for (const image of imagesIn(text)) process.stdout.write(`${image}\n`);
    }
  } catch (error) {
    process.stderr.write(`images: no digest was written from here on: ${error.message}\n`);
    process.exitCode = 1;
  }
}
