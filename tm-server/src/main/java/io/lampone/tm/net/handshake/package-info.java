/** From an accepted connection to an admitted client (protocol page, section 7). */
@NullMarked
package io.lampone.tm.net.handshake;

import org.jspecify.annotations.NullMarked;
