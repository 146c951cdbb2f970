import { byName } from '../proposals/by-name.ts';

/** Variables of other tools without the `$`, each with our equivalent. */
export const foreignVariables = byName([
  ['json msg', 'input fields are plain names'],
  ['input', 'input fields are plain names, and the whole of it is $'],
  ['states', 'input fields are plain names, and the run is $execution'],
  ['node steps', 'the output of another node is $nodes.<id>'],
  ['prevNode', "the previous node's output is the input: its fields are plain names"],
  ['item', 'it is the item of a forEach, for the nodes of its body'],
  ['items', 'in the body of a forEach, each is $item'],
  ['itemIndex index', 'in the body of a forEach, it is $nodes.<id of the forEach>.index'],
  ['env', "expressions can't read the environment; variables of the stage are $vars.<name>"],
  ['secrets', "expressions can't read secrets"],
  ['workflow', 'the workflow is $execution.workflowId'],
  ['today', 'the time is $now()'],
  ['context', 'the run is $execution, and the request $trigger'],
]);

/** Parts of a request by their names in other tools, each with our field. */
export const requestFields = byName([
  ['body payload data event', 'body'],
  ['headers header', 'headers'],
  ['query queryParams', 'queryParams'],
  ['params pathParams pathParameters', 'pathParams'],
  ['method', 'requestMethod'],
  ['path', 'requestPath'],
  ['ip', 'remoteAddress'],
]);

/** Names of the whole request in other tools. */
export const requestNames: ReadonlySet<string> = new Set('req request event msg webhook json'.split(' '));

/** Functions and methods of other languages and their JSONata equivalents. */
export const foreignFunctions = byName([
  ['upper toUpperCase toUpper', '$uppercase'],
  ['lower toLowerCase toLower', '$lowercase'],
  ['len', '$length'],
  ['size', '$count'],
  ['concat', '&'],
  ['includes indexOf startsWith', '$contains'],
  ['slice substr', '$substring'],
  ['toString str stringify toJson jsonStringify', '$string'],
  ['int float parseInt parseFloat toNumber', '$number'],
  ['avg mean', '$average'],
  ['unique', '$distinct'],
  ['forEach', '$map'],
  ['push', '$append'],
  ['values get', '$lookup'],
  ['entries', '$each'],
  ['toFixed', '$round'],
  ['today date', '$now'],
  ['timestamp', '$millis'],
  ['toISOString formatDate', '$fromMillis'],
  ['parseDate', '$toMillis'],
  ['range', '[1..n]'],
  ['uuid', '$execution.id'],
  ['if iif', 'condition ? a : b'],
  ['isEmpty', '$not($exists(x))'],
  ['isset', '$exists'],
]);

/** Node types of other tools in lower case and our equivalents. */
export const foreignNodeTypes = byName([
  ['webhook httptrigger', 'webhookTrigger'],
  ['http request fetch', 'httpRequest'],
  ['function', 'code'],
  ['change transform pass', 'set'],
  ['choice', 'switch'],
  ['condition branch', 'if'],
  ['delay sleep', 'wait'],
  ['loop map splitinbatches', 'forEach'],
  ['join', 'merge'],
  ['respond response httpresponse', 'respondToWebhook'],
  ['executeworkflow', 'subworkflow'],
  ['start', 'manualTrigger'],
]);
