import { visit } from 'jsonc-parser';
import { splitShellWords } from './shell-words.ts';

/** In characters. */
export const MAX_CURL = 100_000;

/** What a curl command says as parameters of `httpRequest`. */
export interface CurlRequest {
  readonly parameters: Readonly<Record<string, unknown>>;
  /** In whole seconds, as `settings.timeoutSeconds` has it; null for the default. */
  readonly timeoutSeconds: number | null;
  /** The credential that replaces the secret of the command; null if it has none. */
  readonly credential: { readonly id: string; readonly type: string } | null;
  /** What the node does not do as the command did, one sentence each. Never contains a secret. */
  readonly notes: readonly string[];
}

/** Options of curl that take a value, by their long name: https://curl.se/docs/manpage.html */
const WITH_VALUE = new Set(
  (
    'abstract-unix-socket alt-svc aws-sigv4 cacert capath cert cert-type ciphers config connect-timeout connect-to continue-at ' +
    'cookie cookie-jar create-file-mode crlfile curves data data-ascii data-binary data-raw data-urlencode delegation ' +
    'dns-interface dns-ipv4-addr dns-ipv6-addr dns-servers doh-url dump-header ech egd-file engine etag-compare etag-save ' +
    'expect100-timeout form form-string ftp-account ftp-alternative-to-user ftp-method ftp-port ftp-ssl-ccc-mode ' +
    'happy-eyeballs-timeout-ms haproxy-clientip header hostpubmd5 hostpubsha256 hsts interface ip-tos ipfs-gateway json ' +
    'keepalive-cnt keepalive-time key key-type krb libcurl limit-rate local-port login-options mail-auth mail-from mail-rcpt ' +
    'max-filesize max-redirs max-time netrc-file noproxy oauth2-bearer output output-dir parallel-max parallel-max-host pass ' +
    'pinnedpubkey preproxy proto proto-default proto-redir proxy proxy-cacert proxy-capath proxy-cert proxy-cert-type ' +
    'proxy-ciphers proxy-crlfile proxy-header proxy-key proxy-key-type proxy-pass proxy-pinnedpubkey proxy-service-name ' +
    'proxy-tls13-ciphers proxy-tlsauthtype proxy-tlspassword proxy-tlsuser proxy-user proxy1.0 pubkey quote random-file range ' +
    'rate referer request request-target resolve retry retry-delay retry-max-time sasl-authzid service-name sigalgs socks4 ' +
    'socks4a socks5 socks5-gssapi-service socks5-hostname speed-limit speed-time ssl-sessions stderr telnet-option ' +
    'tftp-blksize time-cond tls-max tls13-ciphers tlsauthtype tlspassword tlsuser trace trace-ascii trace-config unix-socket ' +
    'upload-file upload-flags url url-query user user-agent variable vlan-priority write-out'
  ).split(' '),
);

/** An option `expand-url` has the value of `url`. */
const takesValue = (name: string): boolean => WITH_VALUE.has(name.replace(/^expand-/, ''));

const SHORT: Readonly<Record<string, string>> = Object.fromEntries(
  (
    'X=request H=header d=data F=form u=user b=cookie A=user-agent e=referer m=max-time o=output x=proxy c=cookie-jar ' +
    'E=cert w=write-out T=upload-file r=range U=proxy-user D=dump-header K=config C=continue-at z=time-cond Q=quote ' +
    'Y=speed-limit y=speed-time G=get I=head L=location k=insecure s=silent S=show-error v=verbose i=include f=fail ' +
    'g=globoff #=progress-bar O=remote-name N=no-buffer n=netrc j=junk-session-cookies q=disable J=remote-header-name ' +
    'P=ftp-port t=telnet-option :=next'
  )
    .split(' ')
    .map((each) => each.split('=')),
);

/** Options that change nothing for a node: how curl prints, and what the node does anyway. */
const WITHOUT_EFFECT = new Set(
  (
    'location compressed silent show-error verbose include fail fail-with-body globoff progress-bar no-progress-meter ' +
    'no-buffer output remote-name remote-header-name write-out retry retry-delay retry-max-time http1.1 http2 stderr ' +
    'disable no-keepalive location-trusted parallel dump-header trace trace-ascii connect-timeout cookie-jar'
  ).split(' '),
);

/** Names of headers, query parameters and fields that hold secrets. */
const isSecretName = (name: string): boolean =>
  /^(?:authorization|proxy-authorization|cookie|key|sig|signature|jwt)$|token|secret|passw|api[-_]?key|access[-_]?key|auth[-_]?key|credential|session/i.test(
    name,
  );

const NEXT = 'next';

const readOptions = (words: readonly string[]) => {
  const options: { readonly name: string; readonly value: string }[] = [];
  const urls: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const take = (name: string): string => {
      const value = words[++at];
      if (value === undefined) throw new Error(`The option ${name} has no value`);
      return value;
    };
    if (word.startsWith('--')) {
      const name = word.slice(2);
      if (name === NEXT) return { options, urls, hasNext: true };
      if (name !== '') options.push({ name, value: takesValue(name) ? take(word) : '' });
    } else if (word.startsWith('-') && word.length > 1) {
      for (let place = 1; place < word.length; place++) {
        const name = SHORT[word[place] ?? ''] ?? word[place] ?? '';
        if (name === NEXT) return { options, urls, hasNext: true };
        if (!takesValue(name)) options.push({ name, value: '' });
        else {
          const rest = word.slice(place + 1);
          options.push({ name, value: rest === '' ? take(`-${word[place]}`) : rest });
          break;
        }
      }
    } else urls.push(word);
  }
  return { options, urls, hasNext: false };
};

type Pairs = (readonly [name: string, value: string])[];

/** A map of names and values, in which a repeated name has a list. */
const toMap = (pairs: Pairs): Record<string, unknown> =>
  Object.fromEntries(
    [...Map.groupBy(pairs, ([name]) => name)].map(([name, group]) => [
      name,
      group.length === 1 ? group[0]?.[1] : group.map(([, value]) => value),
    ]),
  );

const decodeForm = (text: string): Pairs => [...new URLSearchParams(text)];

/** What `--data-urlencode` sends: `content`, `=content`, `name=content`; null for a file. */
const encodeData = (value: string): string | null => {
  const at = value.search(/[=@]/);
  if (value[at] === '@') return null;
  const [name, content] = at === -1 ? ['', value] : [value.slice(0, at), value.slice(at + 1)];
  return `${name === '' ? '' : `${name}=`}${encodeURIComponent(content)}`;
};

/** In digits and signs: what a number can have without losing any. */
const MAX_NUMBER = 15;

/** The value of a JSON text; undefined if it is none, or has numbers that would lose digits. */
const readJson = (text: string): unknown => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  let losesDigits = false;
  visit(text, {
    onLiteralValue: (literal, _, length) => {
      if (typeof literal === 'number' && length > MAX_NUMBER) losesDigits = true;
    },
  });
  return losesDigits ? undefined : value;
};

const MAX_DEPTH = 100;

/** A body without the values of its fields that hold secrets, whose names are added to `found`. */
const withoutSecrets = (value: unknown, found: Set<string>, depth = 0): unknown => {
  if (depth > MAX_DEPTH) throw new Error(`The body is nested deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, found, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (typeof member !== 'string' || member === '' || !isSecretName(name))
        return [name, withoutSecrets(member, found, depth + 1)];
      found.add(name);
      return [name, ''];
    }),
  );
};

/**
 * Reads a curl command. Secrets never get into the parameters: those of a header, the query or the URL are named as a
 * credential, those of a body are left out.
 *
 * @throws Error with what keeps it from being read
 */
export const readCurl = (text: string): CurlRequest => {
  if (text.length > MAX_CURL) throw new Error(`The command is longer than ${MAX_CURL} characters`);
  const command = splitShellWords(text.trim().replace(/^\$ /, ''));
  const { words, unresolved } = command;
  if (!/^(?:.*[\\/])?curl(?:\.exe)?$/.test(words[0] ?? '')) throw new Error('It must begin with "curl"');
  const { options, urls, hasNext } = readOptions(words.slice(1));
  const notes: string[] = [];
  const has = (name: string) => options.some((option) => option.name === name);
  const all = (...names: string[]) => options.filter(({ name }) => names.includes(name));
  const last = (name: string) => all(name).at(-1)?.value;

  const addresses = [...urls, ...all('url').map(({ value }) => value)];
  const [address] = addresses;
  if (address === undefined) throw new Error('The command has no URL');
  if (addresses.length > 1) notes.push('The command has several URLs: the node calls the first.');
  const [, scheme = 'http://', userInfo, place = '', search = ''] =
    /^([a-z][a-z0-9+.-]*:\/\/)?(?:([^/?#@]*)@)?([^?#]*)(?:\?([^#]*))?/i.exec(address) ?? [];
  if (!/^https?:\/\/$/i.test(scheme)) throw new Error('The URL must be http or https');
  if (place === '') throw new Error('The URL has no host');
  const url = scheme.toLowerCase() + place;
  if (!has('globoff') && URL_PATTERN.test(address))
    notes.push('curl would call each URL of the pattern in { } or [ ]; the node calls it as it stands.');

  // One credential for each node: the first that is found.
  const secrets: { readonly type: string; readonly where: string }[] = [];
  const isSecret = (type: string, where: string) => void secrets.push({ type, where });
  if (has('oauth2-bearer')) isSecret('httpBearer', 'The bearer token');
  if (has('user')) isSecret('httpBasic', 'The user and password');
  if (userInfo) isSecret('httpBasic', 'The user and password in the URL');

  const headers: Pairs = [];
  let contentType: string | null = null;
  const addHeader = (name: string, value: string) => {
    const known = name.toLowerCase();
    if (known === 'content-type') contentType = value;
    else if (known === 'host' && value !== place.split('/', 1)[0])
      notes.push('The header "host" is left out: the node sends the host of the URL.');
    else if (['host', 'content-length', 'accept-encoding', 'connection'].includes(known)) return;
    else if (known === 'accept' && value === '*/*') return;
    else if (known === 'authorization' && /^bearer\s/i.test(value))
      isSecret('httpBearer', 'The bearer token');
    else if (known === 'authorization' && /^basic\s/i.test(value))
      isSecret('httpBasic', 'The user and password');
    else if (isSecretName(name)) isSecret('httpHeader', `The header "${name}"`);
    else headers.push([name, value]);
  };
  for (const { value } of all('header')) {
    const at = value.indexOf(':');
    const [name, content] = [value.slice(0, at).trim(), value.slice(at + 1).trim()];
    if (value.startsWith('@')) notes.push('Headers of a file are left out.');
    else if (at > 0 && content !== '') addHeader(name, content);
    else if (at < 0) notes.push('A header without a value is left out.'); // with a colon, curl leaves it out, too
  }
  if (has('json')) {
    contentType ??= 'application/json';
    if (!headers.some(([name]) => name.toLowerCase() === 'accept'))
      headers.push(['accept', 'application/json']);
  }
  for (const { value } of all('cookie')) {
    if (value.includes('=')) addHeader('cookie', value);
    else notes.push('Cookies of a file are left out.');
  }
  const [agent, referer] = [last('user-agent'), last('referer')];
  if (agent !== undefined) addHeader('user-agent', agent);
  if (referer !== undefined) addHeader('referer', referer);

  const data: string[] = [];
  for (const { name, value } of all(...DATA)) {
    const sent = name === 'data-urlencode' ? encodeData(value) : value;
    if (sent === null || (name !== 'data-raw' && name !== 'data-urlencode' && value.startsWith('@')))
      notes.push('The content of a file is left out of the body.');
    else data.push(sent);
  }
  const content = data.join(all(...DATA).every(({ name }) => name === 'json') ? '' : '&');
  const pairs = [...decodeForm(search), ...all('url-query').flatMap(({ value }) => decodeForm(value))];
  if (has('get')) pairs.push(...decodeForm(content));
  const query = pairs.filter(([name]) => {
    if (isSecretName(name)) isSecret('httpQuery', `The query parameter "${name}"`);
    return !isSecretName(name);
  });

  const left = new Set<string>();
  const body: Record<string, unknown> = {};
  const fields: Pairs = [];
  for (const { name, value } of all('form', 'form-string')) {
    const at = value.indexOf('=');
    const [field, given] = [value.slice(0, at), value.slice(at + 1)];
    if (at < 1) throw new Error('A field of -F must be name=value');
    if (name === 'form' && /^[@<]/.test(given))
      notes.push(`The file of the field "${field}" is left out: give it a file of an earlier node.`);
    else {
      const [content = '', ...more] =
        name === 'form' ? given.split(/;(?=(?:type|filename|headers|encoder)=)/) : [given];
      if (more.length > 0)
        notes.push(`Only the value of the field "${field}" is sent, without type and file name.`);
      fields.push([field, content]);
    }
  }
  const hasData = data.length > 0 && !has('get');
  if (has('form') || has('form-string')) {
    body.body = withoutSecrets(toMap(fields), left);
    body.bodyType = 'multipart';
    contentType = null; // with the boundary of the command
  } else if (hasData) {
    const type: string | null = contentType;
    const value = type === null || isJsonType(type) ? readJson(content) : undefined;
    const isObject = typeof value === 'object' && value !== null;
    if (value !== undefined && (type !== null || isObject)) {
      body.body = withoutSecrets(value, left);
      if (type === null)
        notes.push('curl would send this JSON as a form; the node sends it as application/json.');
      if (type !== null && /^application\/json$/i.test(type)) contentType = null;
    } else if (type === null || /^application\/x-www-form-urlencoded/i.test(type)) {
      body.body = withoutSecrets(toMap(decodeForm(content)), left);
      body.bodyType = 'form';
      contentType = null;
    } else {
      body.body = content;
      body.bodyType = 'text';
      if (TEXT_SECRET.test(content)) {
        body.body = '';
        left.add('the text');
      }
    }
  }
  if (contentType !== null) headers.push(['content-type', contentType]);
  for (const name of left) notes.push(`"${name}" of the body may be a secret: its value was left out.`);

  const method = (
    last('request') ?? (has('head') ? 'HEAD' : Object.hasOwn(body, 'body') ? 'POST' : 'GET')
  ).toUpperCase();
  const [secret, ...others] = secrets;
  const ignored = options.filter(({ name }) => !HANDLED.has(name) && !WITHOUT_EFFECT.has(name));
  for (const name of new Set(ignored.map((option) => option.name)))
    notes.push(`The option ${name.length === 1 ? '-' : '--'}${name.slice(0, 40)} is left out.`);
  for (const { where } of others) notes.push(`${where} is left out: a node has one credential.`);
  if (unresolved.length > 0)
    notes.push(`The shell would replace ${unresolved.slice(0, 5).join(', ')}: check where it stands.`);
  if (text.includes('{{')) notes.push('What stands in {{ }} becomes an expression.');
  if (command.isRedirected) notes.push('What the shell redirects is left out.');
  if (command.setsVariables) notes.push('Variables that are set for the command are left out.');
  if (hasNext) notes.push('What follows --next is left out.');
  if (command.hasMore) notes.push('What follows the command is left out.');
  return {
    parameters: {
      ...(method === 'GET' ? {} : { method }),
      url,
      ...(headers.length === 0 ? {} : { headers: toMap(headers) }),
      ...(query.length === 0 ? {} : { query: toMap(query) }),
      ...body,
    },
    timeoutSeconds: toSeconds(last('max-time')),
    credential: secret === undefined ? null : { id: toCredentialId(place), type: secret.type },
    notes,
  };
};

const DATA = ['data', 'data-ascii', 'data-binary', 'data-raw', 'data-urlencode', 'json'];

const HANDLED = new Set([
  ...DATA,
  'request',
  'header',
  'form',
  'form-string',
  'user',
  'oauth2-bearer',
  'cookie',
  'user-agent',
  'referer',
  'url',
  'url-query',
  'max-time',
  'get',
  'head',
]);

/** What curl takes as several URLs: `{a,b}` and `[1-3]`, but neither an expression nor the address of IPv6. */
const URL_PATTERN = /(?:^|[^{])\{(?!\{)|\[[0-9a-z]{1,20}-/i;

const TEXT_SECRET = /passw|secret|token|api[-_]?key/i;

const isJsonType = (type: string): boolean => /^application\/(?:[\w.-]{1,80}\+)?json\b/i.test(type);

const toSeconds = (value: string | undefined): number | null => {
  const seconds = Math.ceil(Number(value ?? 0));
  return Number.isFinite(seconds) && seconds > 0 ? seconds : null;
};

/** The credential's id that a person would choose: `api-example-com`. */
const toCredentialId = (place: string): string =>
  place
    .slice(0, 200)
    .replace(/[:/].*$/s, '')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .slice(0, 64) || 'api';
