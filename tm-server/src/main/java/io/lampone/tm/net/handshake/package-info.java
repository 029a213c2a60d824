/** From an accepted connection to a client that is let in (protocol page, section 7). */
@NullMarked
package io.lampone.tm.net.handshake;

import org.jspecify.annotations.NullMarked;
