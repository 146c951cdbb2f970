import { definePlugin } from '@hookloom/plugin-kit';
import { crypto } from './crypto.ts';
import { csv } from './csv.ts';
import { dateTime } from './date-time.ts';
import { html } from './html.ts';
import { markdown } from './markdown.ts';
import { validate } from './validate.ts';
import { xml } from './xml.ts';

/** Nodes that convert and check values. Packages that they need are loaded on use. */
export default definePlugin({
  id: 'formats',
  name: 'Formats',
  version: '1.0.0',
  description:
    'Reads and writes CSV, XML, HTML, Markdown and dates, validates with JSON Schema, hashes and signs',
  category: 'data',
  handles: [csv, xml, html, markdown, dateTime, crypto, validate],
});
