/** The transaction manager's side of the wire. One event loop decodes, checks and encodes. */
@NullMarked
package io.lampone.tm.net;

import org.jspecify.annotations.NullMarked;
