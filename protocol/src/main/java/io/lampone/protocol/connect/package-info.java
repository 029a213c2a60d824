/**
 * How a client and a transaction manager come to believe each other: names, secrets, certificates,
 * and the client's side of a handshake, with any transport and over a blocking socket.
 */
@NullMarked
package io.lampone.protocol.connect;

import org.jspecify.annotations.NullMarked;
