/** Discovery of the primary transaction manager's address. */
@NullMarked
package io.lampone.tmclient.discovery;

import org.jspecify.annotations.NullMarked;
