/** Where a token is handed in by hand. It stays in this tab. */
import { useState } from 'react';
import { keepToken } from '../wire/token.ts';

export function TokenForm(): React.ReactNode {
  const [token, setToken] = useState('');
  return (
    <form
      className="token-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (token.trim() === '') return;
        keepToken(token.trim());
        window.location.reload();
      }}
    >
      <label>
        Token
        <input
          className="field mono"
          type="password"
          autoComplete="off"
          spellCheck={false}
          value={token}
          onChange={(event) => setToken(event.target.value)}
        />
      </label>
      <button type="submit" className="button main">
        Use it
      </button>
      <p className="faint">The command that started the server printed an address that carries it.</p>
    </form>
  );
}
