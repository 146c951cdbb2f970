import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** Texts for people are not changed: tests name the code of an error, and quote the sentences that matter. */
const sentences = {
  shouldIgnore({ node }) {
    const text =
      node.type === 'StringLiteral' ? node.value : node.type === 'TemplateElement' ? node.value.raw : '';
    const inTemplate =
      node.type === 'TemplateLiteral' && node.quasis.some(({ value }) => isSentence(value.raw));
    return inTemplate || isSentence(text) ? 'a sentence for people' : undefined;
  },
};

/** Two words at least, with a space between them. */
const isSentence = (text) => /[a-z] [a-z]/i.test(text);

export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, 'sentences', sentences)];
