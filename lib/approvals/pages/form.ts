import type { JsonMap } from '@hookloom/bounded-schema';
import type { FormError } from '../../shared/forms/form-error.ts';
import { describeLimits, type FormField, toFields } from '../../shared/forms/form-fields.ts';
import { type Content, type Html, html } from './html.ts';

interface Form {
  /** A JSON Schema that a form can be made from. */
  readonly schema: JsonMap;
  /** What was typed before, by field name; null if the form is shown for the first time. */
  readonly typed: JsonMap | null;
  readonly errors: readonly FormError[];
  /** Values of hidden fields, by name. */
  readonly hidden?: Readonly<Record<string, string>>;
  /** The buttons that submit it. */
  readonly buttons: Content;
}

/** A field with what its HTML elements share. */
interface ShownField extends FormField {
  readonly id: string;
  readonly hint: string;
  readonly error: string | null;
  readonly value: string;
}

/**
 * A form with its errors: a summary that links to the fields, and each error next to its field. The browser does no
 * checks of its own, so that all errors look the same. The first button is the one that the enter key presses in a
 * field; it is disabled, since a decision takes a click.
 */
export const renderForm = ({ schema, typed, errors, hidden = {}, buttons }: Form): Html => {
  const fields = toFields(schema).map((field, index): ShownField => {
    const given = typed !== null && Object.hasOwn(typed, field.name) ? typed[field.name] : '';
    return {
      ...field,
      id: `field-${index + 1}`,
      hint: [field.description, describeLimits(field)].filter((text) => text !== null).join(' '),
      error: errors.find(({ name }) => name === field.name)?.message ?? null,
      value: typed === null ? field.initial : typeof given === 'string' ? given : '',
    };
  });
  return html`${errors.length > 0 && renderSummary(errors, fields)}
<form method="post" novalidate>
<button disabled hidden></button>
${Object.entries(hidden).map(
  ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">
`,
)}${fields.map(renderField)}
<div class="buttons">${buttons}</div>
</form>`;
};

const renderSummary = (errors: readonly FormError[], fields: readonly ShownField[]): Html =>
  html`<div class="summary" role="alert">
<h2>This was not sent</h2>
<ul>${errors.map(({ name, message }) => {
    const field = fields.find((candidate) => candidate.name === name);
    return field === undefined
      ? html`<li>${message}</li>`
      : html`<li><a href="#${field.id}">${toStart(field.title)} ${message}</a></li>`;
  })}</ul>
</div>`;

/** Adds a colon unless the title ends with punctuation. */
const toStart = (title: string): string => (/[.?!:]$/.test(title) ? title : `${title}:`);

const renderField = (field: ShownField): Html => {
  const { id, title, hint, error, isRequired } = field;
  const label = html`${title}${!isRequired && field.kind !== 'boolean' && html` <span class="note">(optional)</span>`}`;
  const notes = html`${hint !== '' && html`<span class="hint" id="${id}-hint">${hint}</span>`}${
    error !== null && html`<span class="error" id="${id}-error">${error}</span>`
  }`;
  const box = error === null ? 'field' : 'field wrong';
  if (field.kind === 'choice' && isRequired && field.options.length <= MAX_RADIOS)
    return html`<fieldset class="${box}"${describedBy(field)}>
<legend>${label}</legend>${notes}
${field.options.map((option, index) => renderRadio(field, String(option), index))}
</fieldset>
`;
  if (field.kind === 'boolean')
    return html`<div class="${box}">${notes}
<label class="tick"><input type="checkbox" id="${id}" name="${field.name}" value="true"${
      field.value === 'true' && html` checked`
    }${state(field)}> ${label}</label></div>
`;
  return html`<div class="${box}"><label for="${id}">${label}</label>${notes}
${renderInput(field)}</div>
`;
};

/** A field with more choices than this becomes a drop-down list. */
const MAX_RADIOS = 5;

const renderRadio = ({ id, name, value }: ShownField, option: string, index: number): Html =>
  html`<label class="tick"><input type="radio" id="${index === 0 ? id : `${id}-${index + 1}`}" name="${name}" value="${option}"${
    option === value && html` checked`
  }> ${option}</label>
`;

const renderInput = (field: ShownField): Html => {
  const { id, name, kind, value } = field;
  switch (kind) {
    case 'text':
      // The first line break in a text area is not part of its value.
      return html`<textarea id="${id}" name="${name}" rows="4"${state(field)}>\n${value}</textarea>`;
    case 'choice':
      return html`<select id="${id}" name="${name}"${state(field)}><option value="">Choose</option>${field.options.map(
        (option) =>
          html`<option${String(option) === value && html` selected`}>${option === true || option === false ? String(option) : option}</option>`,
      )}</select>`;
    case 'number':
    case 'integer':
      // Not of the type "number", which drops what is not a number and changes when the mouse wheel turns.
      return html`<input id="${id}" name="${name}" value="${value}" inputmode="${kind === 'integer' ? 'numeric' : 'decimal'}" autocomplete="off"${state(field)}>`;
    default:
      return html`<input type="${INPUT_TYPES[kind] ?? 'text'}" id="${id}" name="${name}" value="${value}"${state(field)}>`;
  }
};

const INPUT_TYPES: Readonly<Record<string, string>> = { date: 'date', email: 'email' };

const state = (field: ShownField): Html =>
  html`${field.isRequired && field.kind !== 'boolean' && html` required`}${
    field.error !== null && html` aria-invalid="true"`
  }${describedBy(field)}`;

const describedBy = ({ id, hint, error }: ShownField): Content => {
  const ids = [...(hint === '' ? [] : [`${id}-hint`]), ...(error === null ? [] : [`${id}-error`])];
  return ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`;
};
