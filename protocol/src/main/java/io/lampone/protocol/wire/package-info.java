/**
 * The binary protocol between the transaction manager and its clients: frames, handshake, requests,
 * replies. Pure Java over byte buffers; whoever owns a socket feeds it.
 */
@NullMarked
package io.lampone.protocol.wire;

import org.jspecify.annotations.NullMarked;
