import { definePlugin } from '@hookloom/plugin-kit';
import { email } from './email.ts';

/** Mail; the protocols are loaded on use, from work/. */
export default definePlugin({
  id: 'email',
  name: 'E-mail',
  version: '1.0.0',
  description: 'Sends mail over SMTP or Amazon SES',
  category: 'communication',
  handles: [email],
});
