/**
 * The binary protocol between the transaction manager and its clients: frames, handshake, requests,
 * replies. Pure Java over byte buffers, independent of any socket.
 */
@NullMarked
package io.lampone.protocol.wire;

import org.jspecify.annotations.NullMarked;
