package io.lampone.tm.security;

import java.nio.file.Path;

/**
 * Credentials of this transaction manager at others to which it hands over.
 *
 * @param principal its name there, which must be an administrator's
 * @param secretFile file that contains only the secret
 */
public record PeerSettings(String principal, Path secretFile) {}
