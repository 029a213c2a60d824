/** Reports of a client to the transaction manager, and start timestamps ahead of need. */
@NullMarked
package io.lampone.client.core.progress;

import org.jspecify.annotations.NullMarked;
