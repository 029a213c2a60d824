/** The server side of the wire protocol. One event loop decodes, checks and encodes. */
@NullMarked
package io.lampone.tm.net;

import org.jspecify.annotations.NullMarked;
