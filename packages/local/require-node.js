import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// Preloaded by the scripts of package.json, before any TypeScript. Since Node 20 without packages must be able to run it,
// it is JavaScript and imports only Node's modules.

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const runsTypeScript = major > 22 || (major === 22 && minor >= 18);
const isInstalled = existsSync(fileURLToPath(new URL('../../node_modules/commander', import.meta.url)));

const end = (sentence) => {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
};

if (!isInstalled) end("Hookloom's packages are not installed. Run: npm ci");
if (!runsTypeScript)
  end(
    `Hookloom needs Node.js 22.18 or newer, but this is ${process.versions.node}: its own Node.js 24 was not installed ` +
      'because install scripts were disabled. Run: npm rebuild node --ignore-scripts=false',
  );
