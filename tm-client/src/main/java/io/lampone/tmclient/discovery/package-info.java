/** Where the primary transaction manager answers. */
@NullMarked
package io.lampone.tmclient.discovery;

import org.jspecify.annotations.NullMarked;
