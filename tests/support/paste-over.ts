import type { Locator } from 'playwright-core';

/**
 * Replaces the text of a code editor as a paste does, which the editor handles itself. `fill` has the browser edit the
 * page instead: where the edited text has colours, Chrome gives them to the line as an inline style, which the page's
 * policy refuses.
 */
export const pasteOver = async (editor: Locator, text: string): Promise<void> => {
  const content = editor.and(editor.page().locator('.cm-content'));
  await content.press('ControlOrMeta+a');
  await content.evaluate((element, pasted) => {
    const { ClipboardEvent, DataTransfer } = element.ownerDocument.defaultView;
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);
};
