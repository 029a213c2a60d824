package io.lampone.tm.security;

import java.nio.file.Path;

/**
 * Credentials of this transaction manager at another one that it hands over to.
 *
 * @param principal its name there, which must be an administrator's
 * @param secretFile holds the secret, and nothing else
 */
public record PeerSettings(String principal, Path secretFile) {}
