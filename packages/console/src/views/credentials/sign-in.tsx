import Box from '@cloudscape-design/components/box';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import FormField from '@cloudscape-design/components/form-field';
import { type ReactNode, useState } from 'react';
import { SIGN_INS_PATH } from '../../../console-settings.ts';
import { callServer } from '../../api/api.ts';
import type { Change } from '../../api/use-api.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { TextField } from '../../parts/form-fields.tsx';
import { settings } from '../../parts/page-settings.ts';
import { toReturnTo } from './sign-in-state.ts';

interface SignInDialogProps {
  readonly credential: {
    readonly id: string;
    readonly signIn?: Readonly<Record<string, string>> | undefined;
  };
  /** That was just typed; asked for when absent, since the page can't read a stored one. */
  readonly clientSecret?: string;
  readonly onClose: () => void;
}

/** Leaves for the server of a credential, which sends the tab back to where it is. */
export const SignInDialog = ({ credential, clientSecret = '', onClose }: SignInDialogProps): ReactNode => {
  const { id, signIn } = credential;
  const [secret, setSecret] = useState(clientSecret);
  const [change, setChange] = useState<Pick<Change<unknown>, 'isPending' | 'error'>>({
    isPending: false,
    error: null,
  });
  const server = URL.parse(signIn?.authorizationUrl ?? '')?.host ?? 'the server';
  const leave = () => {
    setChange({ isPending: true, error: null });
    const asked = { credentialId: id, clientSecret: secret, returnTo: toReturnTo(location.href) };
    callServer<{ readonly address: string }>(SIGN_INS_PATH, asked).then(
      ({ address }) => location.assign(address),
      (error: Error) => setChange({ isPending: false, error }),
    );
  };
  return (
    <FormDialog
      title={`Sign in for ${id}`}
      action={`Go to ${server}`}
      change={change}
      onClose={onClose}
      onSubmit={leave}
    >
      <Box>
        You sign in at <b>{server}</b> and come back to this page. Then the service uses what you allowed
        there.
      </Box>
      <FormField
        label="Redirect"
        description="The app that is registered at the server must allow this address."
        constraintText={
          settings.stage !== null && 'Its port changes, unless you open the console with --port.'
        }
        stretch={true}
      >
        <div className="any-length">
          <CopyToClipboard
            variant="inline"
            textToCopy={`${location.origin}/callback`}
            copyButtonAriaLabel="Copy the redirect"
            copySuccessText="Copied"
            copyErrorText="The browser did not allow copying."
          />
        </div>
      </FormField>
      <TextField
        label={
          <>
            Client secret <i>– empty for a public client</i>
          </>
        }
        description={
          clientSecret === '' ? 'Of the app. It is asked for again, since no page can read it back.' : null
        }
        constraintText="secret"
        stretch={true}
        type="password"
        autoComplete="new-password"
        spellcheck={false}
        value={secret}
        onChange={setSecret}
      />
    </FormDialog>
  );
};
