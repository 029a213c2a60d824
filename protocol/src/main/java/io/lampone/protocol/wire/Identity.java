package io.lampone.protocol.wire;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.trust.DelegationToken;
import java.util.Optional;

/**
 * Identity of a client: the credential of a {@link Handshake.Hello}, {@code principal newline
 * tenant} in UTF-8. It is accepted only after a proof, with a client certificate, or if no
 * authentication is required.
 *
 * @param principal the client's name at the server; empty if there is none
 * @param tenant the name under which the client's share of the server is accounted; empty for the
 *     default tenant
 */
public record Identity(String principal, String tenant) {

  /** The identity without names. */
  public static final Identity NOBODY = new Identity("", "");

  /** Maximum length of a name, in characters. */
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

  /** Returns the token whose name takes the place of a principal's; empty if there is none. */
  public Optional<DelegationToken> token() {
    return principal.startsWith(DelegationToken.PREFIX)
        ? Optional.of(DelegationToken.ofName(principal))
        : Optional.empty();
  }

  /** Returns the principal, or a description of its token, for messages and logs. */
  public String description() {
    return token().map(DelegationToken::description).orElse(principal);
  }

  /** Encodes this as a credential. */
  public Bytes credential() {
    return equals(NOBODY) ? Bytes.EMPTY : Bytes.utf8(principal + "\n" + tenant);
  }

  /**
   * Decodes a credential.
   *
   * @throws MalformedException if it is not one
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
