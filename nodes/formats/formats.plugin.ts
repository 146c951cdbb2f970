import { definePlugin } from '@hookloom/plugin-kit';
import { crypto } from './crypto.ts';
import { csv } from './csv.ts';
import { dateTime } from './date-time.ts';
import { html } from './html.ts';
import { markdown } from './markdown.ts';
import { validate } from './validate.ts';
import { xml } from './xml.ts';

/** Nodes that convert and check values; what they need of packages is loaded on use, from work/. */
export default definePlugin({
  id: 'formats',
  name: 'Formats',
  version: '1.0.0',
  description: 'Reads and writes CSV, XML, HTML, Markdown and dates, checks by JSON Schema, hashes and signs',
  category: 'data',
  handles: [csv, xml, html, markdown, dateTime, crypto, validate],
});
