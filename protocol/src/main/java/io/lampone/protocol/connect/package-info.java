/**
 * Mutual authentication of client and transaction manager: names, secrets, certificates, and the
 * client's side of a handshake, independent of the transport and over a blocking socket.
 */
@NullMarked
package io.lampone.protocol.connect;

import org.jspecify.annotations.NullMarked;
