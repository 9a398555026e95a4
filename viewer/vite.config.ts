import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { sourceHash } from './source-hash.mjs';

/** Everything in one page: it must work from a file, where a page may not load others. */
function oneFile(): Plugin {
  return {
    name: 'one-file',
    enforce: 'post',
    generateBundle(_, bundle) {
      const page = bundle['index.html'];
      if (page === undefined || page.type !== 'asset') return;
      let html = String(page.source).replace('name="source-hash" content="none"', `name="source-hash" content="${sourceHash()}"`);
      for (const [name, part] of Object.entries(bundle)) {
        const file = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
        if (part.type === 'chunk') {
          html = html.replace(new RegExp(`\\s*<script[^>]*src="[^"]*${file}"[^>]*></script>`), '');
          const code = part.code.replace(/<\/script/g, '<\\/script').replace(/<!--/g, '<\\!--');
          html = html.replace('</body>', () => `<script type="module">${code}</script>\n</body>`);
          delete bundle[name];
        } else if (name.endsWith('.css')) {
          html = html.replace(new RegExp(`\\s*<link[^>]*href="[^"]*${file}"[^>]*>`), () => `\n<style>${String(part.source)}</style>`);
          delete bundle[name];
        }
      }
      page.source = html;
    },
  };
}

export default defineConfig({
  plugins: [oneFile()],
  base: './',
  build: { target: 'es2022', assetsInlineLimit: 1e8, modulePreload: false, reportCompressedSize: false, chunkSizeWarningLimit: 4000 },
  test: { include: ['test/*.test.ts'], testTimeout: 30000 },
});
