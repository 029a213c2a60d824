package io.lampone.protocol.wire;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.trust.DelegationToken;
import java.util.Optional;

/**
 * Identity of a client: the credential of a {@link Handshake.Hello}, {@code principal newline
 * tenant} in UTF-8. It is believed only after a proof, a client certificate, or where no
 * authentication is demanded.
 *
 * @param principal the name under which the server knows the client; empty if there is none
 * @param tenant the name that the client's share of the server is counted under; empty for the
 *     default one
 */
public record Identity(String principal, String tenant) {

  /** No name at all. */
  public static final Identity NOBODY = new Identity("", "");

  /** The most characters in a name. */
  public static final int MAX_NAME_LENGTH = 64;

  private static final String NAME = "[A-Za-z0-9._@=, -]{0," + MAX_NAME_LENGTH + "}";

  /**
   * Checks the names.
   *
   * @throws MalformedException if one is too long or has a character other than letters, digits,
   *     and {@code . _ @ = , -} and space, unless the principal is the name of a {@link
   *     DelegationToken}
   */
  public Identity {
    boolean legal =
        principal.startsWith(DelegationToken.PREFIX)
            ? DelegationToken.ofName(principal).name().equals(principal)
            : principal.matches(NAME);
    if (!legal || !tenant.matches(NAME)) {
      throw new MalformedException("wrong name of a principal or tenant");
    }
  }

  /** The token whose name stands in the place of a principal's; empty if none does. */
  public Optional<DelegationToken> token() {
    return principal.startsWith(DelegationToken.PREFIX)
        ? Optional.of(DelegationToken.ofName(principal))
        : Optional.empty();
  }

  /** The principal, or which token it is, for messages and logs. */
  public String description() {
    return token().map(DelegationToken::description).orElse(principal);
  }

  /** The credential that says this. */
  public Bytes credential() {
    return equals(NOBODY) ? Bytes.EMPTY : Bytes.utf8(principal + "\n" + tenant);
  }

  /**
   * Reads a credential.
   *
   * @throws MalformedException if it is none
   */
  public static Identity of(Bytes credential) {
    if (credential.length() == 0) {
      return NOBODY;
    }
    String text = credential.toUtf8();
    int newline = text.indexOf('\n');
    if (newline < 0) {
      throw new MalformedException("credential without a tenant, bytes=" + credential.length());
    }
    return new Identity(text.substring(0, newline), text.substring(newline + 1));
  }
}
