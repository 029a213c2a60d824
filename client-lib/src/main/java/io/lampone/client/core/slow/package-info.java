/** Log of slow transactions. */
@NullMarked
package io.lampone.client.core.slow;

import org.jspecify.annotations.NullMarked;
