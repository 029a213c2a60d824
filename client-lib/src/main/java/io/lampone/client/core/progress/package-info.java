/** Reports of a client to the transaction manager, and prefetched start timestamps. */
@NullMarked
package io.lampone.client.core.progress;

import org.jspecify.annotations.NullMarked;
